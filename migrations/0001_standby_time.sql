ALTER TABLE `browser_sessions` ADD `standby_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_hours` ADD `standby_ms` integer DEFAULT 0 NOT NULL;