-- One row per idempotency key: tenant + principal + capability + key, across surfaces.
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
