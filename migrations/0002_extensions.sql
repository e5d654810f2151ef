CREATE TABLE `extensions` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text,
	`size_bytes` integer NOT NULL,
	`checksum` text NOT NULL,
	`unsupported` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `extensions_name` ON `extensions` (`organization_id`,`name`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `extensions_all` ON `extensions` (`organization_id`,`created_at`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `extensions_deleted` ON `extensions` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `browser_pools` ADD `extensions` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `browser_pools` ADD `extension_ids` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `extension_ids` text DEFAULT '[]' NOT NULL;