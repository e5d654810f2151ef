/** The program that esbuild-wasm runs; the bundler is loaded with it. */
declare module "esbuild.wasm" {
  const program: WebAssembly.Module;
  export default program;
}
