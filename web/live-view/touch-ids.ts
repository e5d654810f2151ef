/** Browsers may use any number, even negative ones. */
export class TouchIds {
  readonly #ids = new Map<number, number>();

  idOf(identifier: number): number {
    const known = this.#ids.get(identifier);
    if (known !== undefined) return known;
    const taken = new Set(this.#ids.values());
    let id = 0;
    while (taken.has(id)) id++;
    this.#ids.set(identifier, id);
    return id;
  }

  keep(identifiers: readonly number[]): void {
    for (const identifier of this.#ids.keys()) {
      if (!identifiers.includes(identifier)) this.#ids.delete(identifier);
    }
  }
}
