// Written by scripts/embed-migrations.mjs from the SQL files beside it: edit those.

/** One numbered change of the schema. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** Every migration, in order. */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'approvals',
    sql: `-- One row per approval. \`request\` is everything that is fixed when it is asked for, as JSON text.
create table capability_approvals (
  position bigint generated always as identity unique,
  id uuid primary key,
  tenant text not null,
  state text not null check (
    state in ('pending', 'approved', 'denied', 'expired', 'cancelled', 'void', 'claimed', 'succeeded', 'failed', 'unknown')
  ),
  capability text not null,
  type text,
  requester text not null,
  coalesce_key text,
  request text not null,
  votes text not null,
  decision text,
  created_at timestamptz not null,
  decide_by timestamptz not null,
  execute_by timestamptz,
  claimed_by text,
  lease_until timestamptz,
  outcome text,
  note text
);

-- At most one open approval for identical requests.
create unique index capability_approvals_open on capability_approvals (coalesce_key) where state in ('pending', 'approved');
create index capability_approvals_list on capability_approvals (tenant, position);
create index capability_approvals_requester on capability_approvals (tenant, requester, position);
-- What time alone moves on.
create index capability_approvals_due on capability_approvals (tenant) where state in ('pending', 'approved', 'claimed');
`,
  },
  {
    version: 2,
    name: 'idempotency',
    sql: `-- One row per idempotency key: tenant + principal + capability + key, across surfaces.
create table capability_keys (
  tenant text not null,
  principal text not null,
  capability text not null,
  key text not null,
  input_hash text not null,
  state text not null check (state in ('in-progress', 'suspended', 'done', 'unknown')),
  approval_id uuid references capability_approvals (id),
  claimed_by text,
  lease_until timestamptz,
  outcome text,
  changed_at timestamptz not null,
  primary key (tenant, principal, capability, key)
);

create index capability_keys_changed on capability_keys (changed_at);
create index capability_keys_approval on capability_keys (approval_id) where approval_id is not null;
`,
  },
  {
    version: 3,
    name: 'audit',
    sql: `-- Append-only, one hash chain per tenant. \`subject\` holds what identifies a person and may be blanked;
-- the chain covers its commitment. The other columns are searchable copies, compared by verification.
create table capability_audit (
  tenant text not null,
  seq bigint not null,
  at bigint not null,
  type text not null,
  capability text not null,
  execution_id text not null,
  correlation_id text not null,
  approval_id text,
  outcome text,
  principal text,
  human text,
  body text not null,
  subject text,
  commitment text not null,
  prev_hash text not null,
  hash text not null,
  primary key (tenant, seq)
);

create index capability_audit_execution on capability_audit (tenant, execution_id);
create index capability_audit_correlation on capability_audit (tenant, correlation_id);
create index capability_audit_approval on capability_audit (tenant, approval_id) where approval_id is not null;

-- The signed checkpoint at which a pruned chain now starts.
create table capability_audit_bases (
  tenant text primary key,
  checkpoint text not null
);

-- Appends events, given as a JSON array. The lock is held to the end of the transaction, so that the row
-- before is read only after its writer has committed: one chain per tenant, never a fork.
create function capability_audit_append(events text) returns void language plpgsql as $append$
declare
  event json;
  chain text;
  next_seq bigint;
  last_hash text;
begin
  for event in select value from json_array_elements(events::json) loop
    chain := event ->> 'tenant';
    perform pg_advisory_xact_lock(hashtextextended('capability_audit'::regclass::oid::text || ':' || chain, 0));
    select a.seq + 1, a.hash into next_seq, last_hash
      from capability_audit a where a.tenant = chain order by a.seq desc limit 1;
    if not found then
      next_seq := 1;
      last_hash := repeat('0', 64);
    end if;
    insert into capability_audit (
      tenant, seq, at, type, capability, execution_id, correlation_id, approval_id, outcome, principal, human,
      body, subject, commitment, prev_hash, hash
    ) values (
      chain, next_seq, (event ->> 'at')::bigint, event ->> 'type', event ->> 'capability', event ->> 'executionId',
      event ->> 'correlationId', event ->> 'approvalId', event ->> 'outcome', event ->> 'principal', event ->> 'human',
      event ->> 'body', event ->> 'subject', event ->> 'commitment', last_hash,
      encode(sha256(
        '\\x01'::bytea || decode(last_hash, 'hex') || int8send(next_seq)
        || decode(event ->> 'commitment', 'hex') || convert_to(event ->> 'body', 'UTF8')
      ), 'hex')
    );
  end loop;
end
$append$;
`,
  },
  {
    version: 4,
    name: 'mcp_handles',
    sql: `-- MCP tasks, one row each. \`record\` is the task as JSON text; a change names the version that it starts from.
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
`,
  },
  {
    version: 5,
    name: 'conversations',
    sql: `-- Conversations of assistants. \`record\` is the conversation as JSON text; a change names the version that it starts
-- from. \`owner\` is the tenant and the principal.
create table capability_conversations (
  owner text not null,
  id text not null,
  version integer not null,
  record text not null,
  changed_at timestamptz not null,
  primary key (owner, id)
);

create index capability_conversations_changed on capability_conversations (changed_at);

-- Which approval a tool call of a conversation waits for, or waited for.
create table capability_tool_calls (
  owner text not null,
  conversation text not null,
  tool_call text not null,
  approval text not null,
  primary key (owner, conversation, tool_call)
);
`,
  },
];

/** Grants of the least-privilege role `capability_app`; run it as the owner after the migrations. */
export const APP_ROLE_SQL = `-- The role an application runs as: grant it to the application's login. It can append to the audit but not
-- update, delete or truncate it. Migrations, pruning and subject erasure need the owner of the tables.
do $role$
begin
  begin
    create role capability_app nologin;
  exception when duplicate_object or unique_violation then
    null;
  end;
  execute format('grant usage on schema %I to capability_app', current_schema());
end
$role$;

revoke all on capability_audit, capability_audit_bases, capability_approvals, capability_keys, capability_tasks,
  capability_used_handles, capability_conversations, capability_tool_calls, capability_migrations from capability_app, public;
grant select, insert, update on capability_approvals to capability_app;
grant select, insert, update, delete on capability_keys, capability_tasks, capability_used_handles,
  capability_conversations, capability_tool_calls to capability_app;
grant select, insert on capability_audit to capability_app;
grant select on capability_audit_bases, capability_migrations to capability_app;
`;
