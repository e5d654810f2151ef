declare global {
  var zoomStyle: CSSStyleSheet | undefined;
}

export function zoomPage(level: number): void {
  if (window !== top) return;
  if (globalThis.zoomStyle === undefined) {
    globalThis.zoomStyle = new CSSStyleSheet();
    document.adoptedStyleSheets.push(globalThis.zoomStyle);
  }
  globalThis.zoomStyle.replaceSync(`:root{zoom:${level}}`);
}
