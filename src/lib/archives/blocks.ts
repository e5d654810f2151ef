const BLOCK_BYTES = 64 * 1024;

/** Joins bytes into blocks of equal size: passing on thousands of small chunks costs more than copying. */
export class Blocks {
  #block = new Uint8Array(BLOCK_BYTES);
  #used = 0;

  append(bytes: Uint8Array): Uint8Array[] {
    const full: Uint8Array[] = [];
    for (let offset = 0; offset < bytes.length; ) {
      const piece = bytes.subarray(offset, offset + BLOCK_BYTES - this.#used);
      this.#block.set(piece, this.#used);
      this.#used += piece.length;
      offset += piece.length;
      if (this.#used < BLOCK_BYTES) continue;
      full.push(this.#block);
      this.#block = new Uint8Array(BLOCK_BYTES);
      this.#used = 0;
    }
    return full;
  }

  flush(): Uint8Array[] {
    return this.#used > 0 ? [this.#block.subarray(0, this.#used)] : [];
  }
}
