declare module "esbuild.wasm" {
  const program: WebAssembly.Module;
  export default program;
}
