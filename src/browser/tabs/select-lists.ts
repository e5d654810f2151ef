const STYLE = "select:not([multiple]):not([size]),::picker(select){appearance:base-select}";

/**
 * Makes a page draw the lists of its selects itself. By default the system draws them beside the page, where no
 * screenshot and no screencast shows them and no click of DevTools reaches them. A page's own style wins over it.
 */
export const SELECT_LIST_SCRIPT = `(() => {
  if (!CSS.supports("appearance", "base-select")) return;
  const style = new CSSStyleSheet();
  style.replaceSync(${JSON.stringify(STYLE)});
  document.adoptedStyleSheets = [style, ...document.adoptedStyleSheets];
})();`;
