/** Gives fingers small numbers: browsers number touches as they like, also below zero. */
export class TouchIds {
  readonly #ids = new Map<number, number>();

  /** The number of a finger, the same as long as it is down. */
  idOf(identifier: number): number {
    const known = this.#ids.get(identifier);
    if (known !== undefined) return known;
    const taken = new Set(this.#ids.values());
    let id = 0;
    while (taken.has(id)) id++;
    this.#ids.set(identifier, id);
    return id;
  }

  /** Forgets all fingers but those that are down. */
  keep(identifiers: readonly number[]): void {
    for (const identifier of this.#ids.keys()) {
      if (!identifiers.includes(identifier)) this.#ids.delete(identifier);
    }
  }
}
