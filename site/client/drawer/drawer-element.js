/* <nb-drawer id>: a modal dialog that any [data-opens=id] opens. data-copies names a list to show a copy of.
   Focus, Esc and the way back to the opener are the browser's own. */

export class DrawerElement extends HTMLElement {
  #life;

  connectedCallback() {
    this.#life = new AbortController();
    const { signal } = this.#life;
    document.addEventListener("click", this.#asked, { signal });
    this.addEventListener("click", this.#within, { signal });
  }

  disconnectedCallback() {
    this.#life.abort();
    this.#dialog.close();
  }

  get #dialog() {
    return this.querySelector("dialog");
  }

  #asked = ({ target }) => {
    const opener = target.closest?.("[data-opens]");
    if (opener?.dataset.opens !== this.id || this.#dialog.open) return;
    this.#copy();
    this.#dialog.showModal();
  };

  /* The dialog itself is hit only through its backdrop: its content covers it. */
  #within = ({ target }) => {
    if (target === this.#dialog || target.closest("a[href], [data-closes]")) this.#dialog.close();
  };

  #copy() {
    const list = document.getElementById(this.dataset.copies ?? "");
    if (!list) return;
    const copy = list.cloneNode(true);
    copy.removeAttribute("id");
    this.querySelector(".drawer-body").replaceChildren(copy);
  }
}
