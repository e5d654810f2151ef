CREATE TABLE `apps` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`version` text NOT NULL,
	`deployment_id` text NOT NULL,
	`actions` text NOT NULL,
	`created_at` integer NOT NULL,
	`current` integer NOT NULL,
	`project_id` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `apps_current` ON `apps` (`organization_id`,`project_id`,`name`,`version`) WHERE current = 1;--> statement-breakpoint
CREATE INDEX `apps_listed` ON `apps` (`organization_id`,`project_id`,`created_at`,`id`) WHERE current = 1;--> statement-breakpoint
CREATE INDEX `apps_by_deployment` ON `apps` (`deployment_id`);--> statement-breakpoint
CREATE INDEX `apps_by_name` ON `apps` (`organization_id`,`project_id`,`name`,`version`);--> statement-breakpoint
CREATE TABLE `deployments` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`state` text NOT NULL,
	`state_reason` text,
	`version` text NOT NULL,
	`force` integer NOT NULL,
	`entrypoint` text NOT NULL,
	`source_checksum` text NOT NULL,
	`env_names` text NOT NULL,
	`env_vars` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`size_bytes` integer DEFAULT 0 NOT NULL,
	`grants` text,
	`project_id` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `deployments_all` ON `deployments` (`organization_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `deployments_of_project` ON `deployments` (`organization_id`,`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `deployments_unfinished` ON `deployments` (`updated_at`) WHERE state IN ('queued', 'in_progress');--> statement-breakpoint
CREATE TABLE `invocations` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`app_name` text NOT NULL,
	`version` text NOT NULL,
	`action_name` text NOT NULL,
	`deployment_id` text NOT NULL,
	`status` text NOT NULL,
	`status_reason` text,
	`payload` text,
	`payload_in_files` integer NOT NULL,
	`output` text,
	`output_in_files` integer NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`logs_kept` integer NOT NULL,
	`grants` text,
	`project_id` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `invocations_all` ON `invocations` (`organization_id`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_of_project` ON `invocations` (`organization_id`,`project_id`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_by_app` ON `invocations` (`organization_id`,`project_id`,`app_name`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_by_version` ON `invocations` (`organization_id`,`project_id`,`version`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_by_action` ON `invocations` (`organization_id`,`project_id`,`action_name`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_by_deployment` ON `invocations` (`organization_id`,`project_id`,`deployment_id`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_by_status` ON `invocations` (`organization_id`,`status`,`project_id`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_unfinished` ON `invocations` (`started_at`) WHERE finished_at IS NULL;--> statement-breakpoint
CREATE INDEX `invocations_with_logs` ON `invocations` (`finished_at`) WHERE logs_kept = 1;--> statement-breakpoint
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
	`created_at` integer NOT NULL,
	`extensions` text DEFAULT '[]' NOT NULL,
	`extension_ids` text DEFAULT '[]' NOT NULL,
	`proxy_id` text,
	`profile` text,
	`profile_id` text,
	`telemetry` text,
	`record` integer DEFAULT false NOT NULL,
	`last_error` text,
	`last_error_at` integer,
	`project_id` text DEFAULT '' NOT NULL,
	`region` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `browser_pools_name` ON `browser_pools` (`organization_id`,`project_id`,`name`);--> statement-breakpoint
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
	`end_reason` text,
	`pool_id` text,
	`pool_name` text,
	`lease` integer,
	`extension_ids` text DEFAULT '[]' NOT NULL,
	`proxy_id` text,
	`profile_id` text,
	`invocation_id` text,
	`end_details` text,
	`ended_by_api_key_id` text,
	`api_key_id` text,
	`url_generation` integer DEFAULT 0 NOT NULL,
	`telemetry` text,
	`evidence` text,
	`record` integer DEFAULT false NOT NULL,
	`clients` integer DEFAULT 0 NOT NULL,
	`viewers` integer DEFAULT 0 NOT NULL,
	`idle_since` integer,
	`project_id` text DEFAULT '' NOT NULL,
	`region` text
);
--> statement-breakpoint
CREATE INDEX `browser_sessions_all` ON `browser_sessions` (`organization_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `browser_sessions_of_project` ON `browser_sessions` (`organization_id`,`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `browser_sessions_active` ON `browser_sessions` (`organization_id`,`project_id`,`created_at`,`id`) WHERE state = 'active';--> statement-breakpoint
CREATE INDEX `browser_sessions_ended` ON `browser_sessions` (`organization_id`,`project_id`,`created_at`,`id`) WHERE state = 'ended';--> statement-breakpoint
CREATE INDEX `browser_sessions_by_creation` ON `browser_sessions` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `browser_sessions_ended_by_end` ON `browser_sessions` (`organization_id`,`deleted_at`) WHERE state = 'ended';--> statement-breakpoint
CREATE INDEX `browser_sessions_by_end` ON `browser_sessions` (`deleted_at`) WHERE state = 'ended';--> statement-breakpoint
CREATE INDEX `browser_sessions_living` ON `browser_sessions` (`organization_id`,`pool_id`,`project_id`,`state`) WHERE state <> 'ended';--> statement-breakpoint
CREATE INDEX `browser_sessions_by_name` ON `browser_sessions` (`organization_id`,`project_id`,`name`);--> statement-breakpoint
CREATE INDEX `browser_sessions_of_api_key` ON `browser_sessions` (`api_key_id`) WHERE api_key_id IS NOT NULL AND state <> 'ended';--> statement-breakpoint
CREATE INDEX `browser_sessions_of_pool` ON `browser_sessions` (`pool_id`,`state`) WHERE pool_id IS NOT NULL AND state <> 'ended';--> statement-breakpoint
CREATE INDEX `browser_sessions_of_invocation` ON `browser_sessions` (`invocation_id`,`created_at`,`id`) WHERE invocation_id IS NOT NULL AND state <> 'ended';--> statement-breakpoint
CREATE INDEX `browser_sessions_ended_of_invocation` ON `browser_sessions` (`invocation_id`,`created_at`,`id`) WHERE invocation_id IS NOT NULL AND state = 'ended';--> statement-breakpoint
CREATE UNIQUE INDEX `browser_sessions_living_name` ON `browser_sessions` (`organization_id`,`project_id`,`name`) WHERE state <> 'ended';--> statement-breakpoint
CREATE UNIQUE INDEX `browser_sessions_living_persistence` ON `browser_sessions` (`organization_id`,`project_id`,`persistence_id`) WHERE state <> 'ended';--> statement-breakpoint
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
CREATE TABLE `capabilities` (
	`name` text PRIMARY KEY NOT NULL,
	`outcome` text NOT NULL,
	`seen` text NOT NULL,
	`details` text NOT NULL,
	`measured_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`cost` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `extensions` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text,
	`size_bytes` integer NOT NULL,
	`checksum` text NOT NULL,
	`unsupported` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`deleted_at` integer,
	`project_id` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `extensions_name` ON `extensions` (`organization_id`,`project_id`,`name`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `extensions_all` ON `extensions` (`organization_id`,`project_id`,`created_at`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `extensions_deleted` ON `extensions` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
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
	`deleted_at` integer,
	`last_used_at` integer,
	`project_id` text,
	`access` text DEFAULT 'full' NOT NULL,
	`max_concurrent_sessions` integer,
	`requests_per_minute` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_key_hash_unique` ON `api_keys` (`key_hash`);--> statement-breakpoint
CREATE INDEX `api_keys_by_organization` ON `api_keys` (`organization_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `console_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`key_id` text NOT NULL,
	`user_agent` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `console_sessions_by_key` ON `console_sessions` (`key_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `console_sessions_by_end` ON `console_sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `organizations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`max_concurrent_sessions` integer,
	`max_pooled_sessions` integer,
	`created_at` integer NOT NULL,
	`disabled_at` integer,
	`default_project_max_concurrent_sessions` integer,
	`soft_budget_usd` real,
	`hard_budget_usd` real,
	`budget_warned_at` integer,
	`over_budget_until` integer,
	`weight` integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`status` text NOT NULL,
	`max_concurrent_sessions` integer,
	`max_concurrent_invocations` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_name` ON `projects` (`organization_id`,lower("name")) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE TABLE `profiles` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text,
	`content_id` text,
	`size_bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`last_used_at` integer,
	`deleted_at` integer,
	`project_id` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `profiles_name` ON `profiles` (`organization_id`,`project_id`,`name`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `profiles_all` ON `profiles` (`organization_id`,`project_id`,`created_at`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
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
	`deleted_at` integer,
	`project_id` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `proxies_all` ON `proxies` (`organization_id`,`project_id`,`created_at`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `proxies_by_check` ON `proxies` (`last_checked_at`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `proxies_deleted` ON `proxies` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
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
	`note` text,
	`project_id` text DEFAULT '' NOT NULL
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
CREATE TABLE `counters` (
	`name` text NOT NULL,
	`label` text NOT NULL,
	`value` integer NOT NULL,
	PRIMARY KEY(`name`, `label`)
);
--> statement-breakpoint
CREATE TABLE `usage_hours` (
	`organization_id` text NOT NULL,
	`hour` integer NOT NULL,
	`project_id` text NOT NULL,
	`api_key_id` text NOT NULL,
	`pool_id` text NOT NULL,
	`tags` text NOT NULL,
	`browser_ms` integer DEFAULT 0 NOT NULL,
	`sessions` integer DEFAULT 0 NOT NULL,
	`invocations` integer DEFAULT 0 NOT NULL,
	`dynamic_workers` integer DEFAULT 0 NOT NULL,
	`recorded_ms` integer DEFAULT 0 NOT NULL,
	`stored_byte_hours` integer DEFAULT 0 NOT NULL,
	`proxied_bytes` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`organization_id`, `hour`, `project_id`, `api_key_id`, `pool_id`, `tags`)
);
--> statement-breakpoint
CREATE INDEX `usage_hours_by_hour` ON `usage_hours` (`hour`);--> statement-breakpoint
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
CREATE INDEX `webhooks_all` ON `webhooks` (`organization_id`,`created_at`,`id`);