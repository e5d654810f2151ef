export { fetchContent } from "./load-profile.ts";
export { encryptContent, readContent } from "./profile-content.ts";
export { profileRoutes } from "./routes.ts";
export { ProfileDeletedError, saveProfile } from "./save-profile.ts";
export { presentProfile, profileSchema } from "./schema.ts";
export { selectProfile } from "./select-profile.ts";
export { findProfilesOfSessions, touchProfile } from "./store.ts";
export { sweepProfiles } from "./sweep.ts";
