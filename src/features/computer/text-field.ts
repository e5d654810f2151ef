import { charactersOf, type Key, MODIFIER } from "./keys.ts";

export class LineField {
  #text: string;
  #isAllSelected = true;

  /** All text is selected at first, so that typing replaces it. */
  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }

  insert(text: string): void {
    const line = text.replaceAll(/[\r\n]+/g, " ");
    this.#text = this.#isAllSelected ? line : this.#text + line;
    this.#isAllSelected = false;
  }

  press(key: Key, modifiers: number, text: string | undefined): void {
    if (key.key === "Backspace" || key.key === "Delete") this.#erase(key.key);
    else if (key.code === "KeyA" && modifiers === MODIFIER.Control) this.#isAllSelected = true;
    else if (/^(Arrow|Home|End)/.test(key.key)) this.#isAllSelected = false;
    else if (text !== undefined && text >= " ") this.insert(text);
  }

  #erase(key: "Backspace" | "Delete"): void {
    if (this.#isAllSelected) this.#text = "";
    else if (key === "Backspace") this.#text = charactersOf(this.#text).slice(0, -1).join("");
    this.#isAllSelected = false;
  }
}
