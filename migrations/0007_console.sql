CREATE TABLE `proxy_checks` (
	`id` text PRIMARY KEY NOT NULL,
	`proxy_id` text NOT NULL,
	`checked_at` integer NOT NULL,
	`status` text NOT NULL,
	`duration_ms` integer NOT NULL,
	`ip_address` text
);
--> statement-breakpoint
CREATE INDEX `proxy_checks_of_proxy` ON `proxy_checks` (`proxy_id`,`checked_at`);--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `clients` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `viewers` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `idle_since` integer;--> statement-breakpoint
CREATE INDEX `browser_sessions_by_creation` ON `browser_sessions` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `browser_sessions_ended_by_end` ON `browser_sessions` (`organization_id`,`deleted_at`) WHERE state = 'ended';--> statement-breakpoint
ALTER TABLE `api_keys` ADD `last_used_at` integer;