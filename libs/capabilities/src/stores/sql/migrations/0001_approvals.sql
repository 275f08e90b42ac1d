-- One row per approval. `request` is everything that is fixed when it is asked for, as JSON text.
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
