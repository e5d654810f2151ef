export { deleteProfileContents } from "./delete-contents.ts";
export { describeContents, MAX_CHARACTERS, MAX_ENTRIES } from "./describe-contents.ts";
export { fetchContent, loadProfile } from "./load-profile.ts";
export { decryptContent, encryptContent, malformedContent, readContent } from "./profile-content.ts";
export { ProfileDeletedError, saveProfile } from "./save-profile.ts";
export * from "./schema.ts";
export { selectProfile } from "./select-profile.ts";
export {
  findProfile,
  findProfilesOfSessions,
  insertProfile,
  listProfiles,
  markProfileDeleted,
  renameProfile,
  touchProfile,
} from "./store.ts";
export { sweepProfiles } from "./sweep.ts";
