declare global {
  var keyPrevented: Promise<boolean> | undefined;
}

export function watchNextKey(): void {
  globalThis.keyPrevented = new Promise((resolve) => {
    window.addEventListener("keydown", (event) => setTimeout(() => resolve(event.defaultPrevented)), {
      once: true,
      capture: true,
    });
  });
}

export function wasKeyPrevented(): Promise<boolean> | undefined {
  return globalThis.keyPrevented;
}
