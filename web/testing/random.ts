// Randomness that a seed repeats exactly, for property tests.

export class Random {
  #state: number;

  constructor(seed: string) {
    // FNV-1a turns the words of a seed into a number.
    let hash = 0x811c9dc5;
    for (const character of seed) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
    this.#state = hash >>> 0;
  }

  /** At least 0, less than 1 (the generator is Mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.integer(0, values.length - 1)];
    if (value === undefined) throw new Error("nothing to pick from");
    return value;
  }

  /** Between `low` and `high` of the values, repeats allowed. */
  picks<T>(values: readonly T[], low: number, high: number): readonly T[] {
    return Array.from({ length: this.integer(low, high) }, () => this.pick(values));
  }

  shuffled<T>(values: readonly T[]): readonly T[] {
    const result = [...values];
    for (let last = result.length - 1; last > 0; last--) {
      const other = this.integer(0, last);
      [result[last], result[other]] = [result[other]!, result[last]!];
    }
    return result;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.integer(0, 255));
  }
}
