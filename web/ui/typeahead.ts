// How letters that are typed in a list find one of its entries.

/** How long typed letters are one word, in milliseconds. */
const patience = 700;

/** Finds the next entry of a list whose name begins with what was typed. */
export class TypeAhead {
  #typed = "";
  #last = 0;

  /** True while letters are being typed, when a space is one of them. */
  typing(time: number): boolean {
    return this.#typed !== "" && time - this.#last < patience;
  }

  /** Another key was pressed: the next letter begins a word. */
  end(): void {
    this.#typed = "";
  }

  /** The entry to go to; undefined when none is called that. The same letter again goes on to the next one. */
  find(letter: string, time: number, names: readonly string[], at: number): number | undefined {
    this.#typed = this.typing(time) ? this.#typed + letter.toLowerCase() : letter.toLowerCase();
    this.#last = time;
    const repeated = [...this.#typed].every((each) => each === this.#typed[0]);
    const sought = repeated ? (this.#typed[0] ?? "") : this.#typed;
    const from = repeated ? at + 1 : at;
    for (let i = 0; i < names.length; i++) {
      const index = (from + i) % names.length;
      if (names[index]?.toLowerCase().startsWith(sought)) return index;
    }
    return undefined;
  }
}
