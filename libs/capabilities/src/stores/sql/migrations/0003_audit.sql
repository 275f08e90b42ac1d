-- Append-only, one hash chain per tenant. `subject` holds what identifies a person and may be blanked;
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
        '\x01'::bytea || decode(last_hash, 'hex') || int8send(next_seq)
        || decode(event ->> 'commitment', 'hex') || convert_to(event ->> 'body', 'UTF8')
      ), 'hex')
    );
  end loop;
end
$append$;
