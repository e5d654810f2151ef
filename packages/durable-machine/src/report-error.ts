/** @param event what failed, such as `file_reclaim_failed`. */
export type ReportError = (event: string, error: unknown) => void;
