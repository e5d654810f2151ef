CREATE TABLE `console_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`key_id` text NOT NULL,
	`user_agent` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `console_sessions_by_key` ON `console_sessions` (`key_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `console_sessions_by_end` ON `console_sessions` (`expires_at`);