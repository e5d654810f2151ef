CREATE TABLE `browser_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`state` text NOT NULL,
	`name` text,
	`tags` text NOT NULL,
	`headless` integer NOT NULL,
	`stealth` integer NOT NULL,
	`kiosk_mode` integer NOT NULL,
	`timeout_seconds` integer NOT NULL,
	`viewport_width` integer NOT NULL,
	`viewport_height` integer NOT NULL,
	`viewport_refresh_rate` integer NOT NULL,
	`start_url` text,
	`persistence_id` text,
	`created_at` integer NOT NULL,
	`deleted_at` integer,
	`end_reason` text
);
--> statement-breakpoint
CREATE INDEX `browser_sessions_all` ON `browser_sessions` (`organization_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `browser_sessions_active` ON `browser_sessions` (`organization_id`,`created_at`,`id`) WHERE state = 'active';--> statement-breakpoint
CREATE INDEX `browser_sessions_ended` ON `browser_sessions` (`organization_id`,`created_at`,`id`) WHERE state = 'ended';--> statement-breakpoint
CREATE INDEX `browser_sessions_by_end` ON `browser_sessions` (`deleted_at`) WHERE state = 'ended';--> statement-breakpoint
CREATE INDEX `browser_sessions_by_name` ON `browser_sessions` (`organization_id`,`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `browser_sessions_living_name` ON `browser_sessions` (`organization_id`,`name`) WHERE state <> 'ended';--> statement-breakpoint
CREATE UNIQUE INDEX `browser_sessions_living_persistence` ON `browser_sessions` (`organization_id`,`persistence_id`) WHERE state <> 'ended';--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`organization_id` text NOT NULL,
	`key` text NOT NULL,
	`body_hash` text NOT NULL,
	`session_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_session` ON `idempotency_keys` (`session_id`);--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_creation` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `launched_browsers` (
	`browser_id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`launched_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`key_hash` text NOT NULL,
	`masked_key` text NOT NULL,
	`scope` text DEFAULT 'organization' NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`expires_at` integer,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_key_hash_unique` ON `api_keys` (`key_hash`);--> statement-breakpoint
CREATE INDEX `api_keys_by_organization` ON `api_keys` (`organization_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `organizations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`max_concurrent_sessions` integer,
	`max_pooled_sessions` integer,
	`created_at` integer NOT NULL,
	`disabled_at` integer
);
