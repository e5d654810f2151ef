const STYLE = "select:not([multiple]):not([size]),::picker(select){appearance:base-select}";

/** Screenshots omit native lists, so the page draws them, unless its style prevents it. */
export function drawSelectLists(): void {
  if (!CSS.supports("appearance", "base-select")) return;
  const style = new CSSStyleSheet();
  style.replaceSync(STYLE);
  document.adoptedStyleSheets = [style, ...document.adoptedStyleSheets];
}
