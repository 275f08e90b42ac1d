-- MCP tasks, one row each. `record` is the task as JSON text; a change names the version that it starts from.
create table capability_tasks (
  id uuid primary key,
  owner text not null,
  version integer not null,
  record text not null,
  expires_at timestamptz not null
);

create index capability_tasks_expires on capability_tasks (expires_at);

-- One-time handles that were used, kept for as long as any instance could still take them.
create table capability_used_handles (
  id text primary key,
  expires_at timestamptz not null
);

create index capability_used_handles_expires on capability_used_handles (expires_at);
