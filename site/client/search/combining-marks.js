/* Normalising sorts combining marks by insertion: a hostile note with a million in a row would hold the page for
   hours, so long rows come sorted. JavaScript does not tell a mark's class, but normalising two marks does. */

const LONG_ROW = /\p{M}{32,}/gu;
const LOWEST = "\u0334"; // of class 1: it moves before every mark of a higher class
const HIGHEST = "\u0345"; // of class 240: every mark of a lower class moves before it

/** A text whose long rows of combining marks stand in the order that normal forms ask for. */
export function marksInOrder(text) {
  return text.replace(LONG_ROW, (row) => {
    const marks = [...row].flatMap((mark) => [...mark.normalize("NFKD")]);
    const order = classOrder(new Set(marks));
    let sorted = "";
    let start = 0;
    for (let place = 0; place <= marks.length; place += 1) {
      if (place < marks.length && order.has(marks[place])) continue;
      sorted += marks
        .slice(start, place)
        .sort((one, other) => order.get(one) - order.get(other))
        .join("");
      sorted += marks[place] ?? "";
      start = place + 1;
    }
    return sorted;
  });
}

/* A number for every mark that moves at all: equal for those that keep their order among each other. */
function classOrder(marks) {
  const moving = [...marks].filter((mark) => swap(HIGHEST, mark) || swap(mark, LOWEST));
  moving.sort((one, other) => Number(swap(one, other)) - Number(swap(other, one)));
  const order = new Map();
  let place = 0;
  moving.forEach((mark, number) => {
    if (number > 0 && swap(mark, moving[number - 1])) place += 1;
    order.set(mark, place);
  });
  return order;
}

function swap(one, other) {
  return (one + other).normalize("NFD") !== one + other;
}
