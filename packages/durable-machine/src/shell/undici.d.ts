/**
 * Stands in for the types of a package that `just-bash` uses only under Node. They would bring Node's globals along,
 * whose `setTimeout` is not the one that this runs with.
 */
declare const undici: object;
export default undici;
