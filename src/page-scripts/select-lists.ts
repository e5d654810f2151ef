const STYLE = "select:not([multiple]):not([size]),::picker(select){appearance:base-select}";

/** The page draws the lists itself, unless its own style says otherwise. The system's lists are in no screenshot. */
export function drawSelectLists(): void {
  if (!CSS.supports("appearance", "base-select")) return;
  const style = new CSSStyleSheet();
  style.replaceSync(STYLE);
  document.adoptedStyleSheets = [style, ...document.adoptedStyleSheets];
}
