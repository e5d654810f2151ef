CREATE TABLE `profiles` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text,
	`content_id` text,
	`size_bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`last_used_at` integer,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `profiles_name` ON `profiles` (`organization_id`,`name`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `profiles_all` ON `profiles` (`organization_id`,`created_at`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `profiles_deleted` ON `profiles` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `proxies` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text,
	`type` text NOT NULL,
	`protocol` text NOT NULL,
	`config` text NOT NULL,
	`encrypted_password` text,
	`bypass_hosts` text NOT NULL,
	`status` text NOT NULL,
	`last_checked_at` integer,
	`ip_address` text,
	`created_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE INDEX `proxies_all` ON `proxies` (`organization_id`,`created_at`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `proxies_by_check` ON `proxies` (`last_checked_at`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `proxies_deleted` ON `proxies` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `browser_pools` ADD `proxy_id` text;--> statement-breakpoint
ALTER TABLE `browser_pools` ADD `profile` text;--> statement-breakpoint
ALTER TABLE `browser_pools` ADD `profile_id` text;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `proxy_id` text;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `profile_id` text;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `end_details` text;