CREATE TABLE `browser_pools` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text,
	`size` integer NOT NULL,
	`fill_rate_per_minute` integer NOT NULL,
	`timeout_seconds` integer NOT NULL,
	`headless` integer NOT NULL,
	`stealth` integer NOT NULL,
	`kiosk_mode` integer NOT NULL,
	`viewport_width` integer NOT NULL,
	`viewport_height` integer NOT NULL,
	`viewport_refresh_rate` integer NOT NULL,
	`start_url` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `browser_pools_name` ON `browser_pools` (`organization_id`,`name`);--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `pool_id` text;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `pool_name` text;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `lease` integer;--> statement-breakpoint
CREATE INDEX `browser_sessions_of_pool` ON `browser_sessions` (`pool_id`,`state`) WHERE pool_id IS NOT NULL AND state <> 'ended';