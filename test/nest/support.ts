import type { CanActivate, ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  CapabilitiesModule,
  type CapabilitiesModuleOptions,
  type CapabilityOptions,
  CapabilityPolicy,
  CapabilityRunner,
  type ExecuteOptions,
  type Outcome,
  type PrincipalInput,
  SURFACES,
} from 'nest-capabilities';
import { MemoryCapabilityStore } from 'nest-capabilities/memory';

export interface TestUser {
  readonly id: string;
  readonly permissions: readonly string[];
}

const user = (id: string, ...permissions: string[]): PrincipalInput<TestUser> => ({
  id,
  kind: 'user',
  user: { id, permissions },
});

export const reader = user('u-reader', 'docs:read');
export const writer = user('u-writer', 'docs:read', 'docs:write');

export class ListedPermissions extends CapabilityPolicy<TestUser, string> {
  userHasPermission(asked: TestUser, permission: string): boolean {
    return asked.permissions.includes(permission);
  }
}

/** What every test capability declares unless it says otherwise. */
export const BASE = {
  description: 'A capability under test.',
  expose: SURFACES,
  risk: 'low',
  permission: 'docs:read',
  sideEffect: 'read',
} satisfies Partial<CapabilityOptions>;

const opened: TestingModule[] = [];

/** Compiles and initialises an application; {@link closeApps} closes it. */
export async function boot(
  metadata: ModuleMetadata,
  options: CapabilitiesModuleOptions = {},
): Promise<TestingModule> {
  return start(
    Test.createTestingModule({
      ...metadata,
      imports: [
        CapabilitiesModule.forRoot({ policy: ListedPermissions, store: MemoryCapabilityStore, ...options }),
        ...(metadata.imports ?? []),
      ],
    }),
  );
}

export async function start(builder: ReturnType<typeof Test.createTestingModule>): Promise<TestingModule> {
  const app = await builder.compile();
  await app.init();
  opened.push(app);
  return app;
}

export async function closeApps(): Promise<void> {
  await Promise.all(opened.splice(0).map((app) => app.close()));
}

export function execute(
  app: TestingModule,
  name: string,
  options: Partial<ExecuteOptions> = {},
  input: unknown = {},
): Promise<Outcome> {
  return app.get(CapabilityRunner).execute(name, input, { principal: reader, ...options });
}

/** `completed`, or the reason of the failure. */
export const resultOf = (outcome: Outcome): string =>
  outcome.status === 'failed' ? outcome.error.reason : outcome.status;

export class AlwaysTrue implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

export class AlwaysFalse implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}
