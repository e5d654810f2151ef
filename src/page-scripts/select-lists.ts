const STYLE = "select:not([multiple]):not([size]),::picker(select){appearance:base-select}";

/** Makes a page draw the lists of its selects itself. A style of the page's own wins over this one. */
export function drawSelectLists(): void {
  if (!CSS.supports("appearance", "base-select")) return;
  const style = new CSSStyleSheet();
  style.replaceSync(STYLE);
  document.adoptedStyleSheets = [style, ...document.adoptedStyleSheets];
}
