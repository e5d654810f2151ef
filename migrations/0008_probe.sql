CREATE TABLE `capabilities` (
	`name` text PRIMARY KEY NOT NULL,
	`outcome` text NOT NULL,
	`seen` text NOT NULL,
	`details` text NOT NULL,
	`measured_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`cost` text NOT NULL
);
