/** `just-bash` uses this package only under Node. Its own types would bring Node's globals along. */
declare const undici: object;
export default undici;
