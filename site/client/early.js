/* Runs before the first paint, as an ordinary blocking script: a page in the chosen theme never flashes
   in the other one. */
(() => {
  try {
    const choice = localStorage.getItem("nb-theme");
    if (choice === "light" || choice === "dark") document.documentElement.dataset.theme = choice;
  } catch {
    // Storage is refused: the system decides.
  }
})();
