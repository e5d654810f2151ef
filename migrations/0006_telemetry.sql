CREATE TABLE `replays` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`session_id` text NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`size_bytes` integer NOT NULL,
	`mime_type` text,
	`parts` text NOT NULL,
	`chapters` text NOT NULL,
	`note` text
);
--> statement-breakpoint
CREATE INDEX `replays_of_session` ON `replays` (`session_id`,`started_at`);--> statement-breakpoint
CREATE INDEX `replays_of_organization` ON `replays` (`organization_id`);--> statement-breakpoint
CREATE INDEX `replays_by_end` ON `replays` (`finished_at`);--> statement-breakpoint
CREATE TABLE `otlp_destinations` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`endpoint` text NOT NULL,
	`header_names` text NOT NULL,
	`encrypted_headers` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `otlp_destinations_name` ON `otlp_destinations` (`organization_id`,`name`);--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`webhook_id` text NOT NULL,
	`event_type` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`state` text NOT NULL,
	`state_reason` text,
	`attempts` text NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_all` ON `webhook_deliveries` (`webhook_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_pending` ON `webhook_deliveries` (`webhook_id`,`next_attempt_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `webhook_deliveries_by_end` ON `webhook_deliveries` (`ended_at`) WHERE state <> 'pending';--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`url` text NOT NULL,
	`description` text,
	`event_types` text,
	`encrypted_secret` text NOT NULL,
	`previous_encrypted_secret` text,
	`previous_secret_until` integer,
	`created_at` integer NOT NULL,
	`disabled_at` integer
);
--> statement-breakpoint
CREATE INDEX `webhooks_all` ON `webhooks` (`organization_id`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `browser_pools` ADD `telemetry` text;--> statement-breakpoint
ALTER TABLE `browser_pools` ADD `record` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `ended_by_api_key_id` text;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `telemetry` text;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `evidence` text;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `record` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `browser_sessions_ended_of_invocation` ON `browser_sessions` (`invocation_id`,`created_at`,`id`) WHERE invocation_id IS NOT NULL AND state = 'ended';