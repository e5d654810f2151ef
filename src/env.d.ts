/** Optional bindings, which the generated types do not know. */
interface Env {
  /** The TOKEN_SECRET before the present one, while URLs signed with it are still about. */
  TOKEN_SECRET_PREVIOUS?: string;
}
