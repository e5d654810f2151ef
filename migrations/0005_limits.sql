ALTER TABLE `deployments` ADD `size_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `deployments` ADD `grants` text;--> statement-breakpoint
ALTER TABLE `invocations` ADD `grants` text;--> statement-breakpoint
ALTER TABLE `browser_pools` ADD `last_error` text;--> statement-breakpoint
ALTER TABLE `browser_pools` ADD `last_error_at` integer;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `api_key_id` text;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `url_generation` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `browser_sessions_of_api_key` ON `browser_sessions` (`api_key_id`) WHERE api_key_id IS NOT NULL AND state <> 'ended';