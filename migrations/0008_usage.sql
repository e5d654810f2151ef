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
ALTER TABLE `organizations` ADD `soft_budget_usd` real;--> statement-breakpoint
ALTER TABLE `organizations` ADD `hard_budget_usd` real;--> statement-breakpoint
ALTER TABLE `organizations` ADD `budget_warned_at` integer;--> statement-breakpoint
ALTER TABLE `organizations` ADD `over_budget_until` integer;