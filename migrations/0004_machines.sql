ALTER TABLE `browser_pools` ADD `machine` text DEFAULT 'simulated' NOT NULL;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `machine` text DEFAULT 'simulated' NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_hours` ADD `linux_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_hours` ADD `linux_microdollars` integer DEFAULT 0 NOT NULL;