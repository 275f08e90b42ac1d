import { Inject, Injectable, RequestMethod } from '@nestjs/common';
import { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { RoutePathFactory } from '@nestjs/core/router/route-path-factory.js';
import type { Module } from '@nestjs/core/injector/module.js';
import type { ApprovalRecord, ApprovalState } from '../../../approvals/approval-record.js';
import { DECISION_LINK } from '../../../approvals/decision-link.js';
import { REST_OPTIONS, type ResolvedRestOptions } from '../rest-options.js';
import { modulePath } from '../routes/catch-all.js';
import { isRouteApproval } from './require-approval/route-capability.js';

/** States in which an approval may still come to an execution. */
const OPEN: ReadonlySet<ApprovalState> = new Set(['pending', 'approved']);
/** States after which there is, or will be, an outcome to read. */
const TAKEN: ReadonlySet<ApprovalState> = new Set(['claimed', 'succeeded', 'failed', 'unknown']);
/** The end of the route of one approval: what exclusions from the global prefix are tested with. */
const ONE = '/:id';

/** Where the approval routes are: global prefix, versions and module paths included. */
@Injectable()
export class ApprovalUrls {
  private home: Module | undefined;
  private base: string | undefined;

  constructor(
    @Inject(REST_OPTIONS) private readonly options: ResolvedRestOptions,
    @Inject(ApplicationConfig) private readonly config: ApplicationConfig,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {}

  /** Notes the module whose routes they are. */
  servedBy(home: Module): void {
    this.home = home;
  }

  /** The URL of an approval or of something below it: absolute where the public URL is known, else a path. */
  of(id: string, part?: 'page' | 'execute' | 'outcome'): string {
    const origin = this.options.approvals?.publicUrl ?? '';
    const below = part === undefined ? '' : `/${part}`;
    return `${origin}${this.basePath()}/${id}${below}`;
  }

  /** What a caller can do with an approval now. */
  links(record: Pick<ApprovalRecord, 'id' | 'state' | 'capability'>): Readonly<Record<string, string>> {
    const { id, state } = record;
    const open = OPEN.has(state);
    const byRoute = isRouteApproval(record);
    return {
      self: this.of(id),
      ...(open && this.options.approvals?.page === true ? { [DECISION_LINK]: this.of(id, 'page') } : {}),
      ...(open && !byRoute ? { execute: this.of(id, 'execute') } : {}),
      ...(TAKEN.has(state) && !byRoute ? { outcome: this.of(id, 'outcome') } : {}),
    };
  }

  /** Prefix and versions are final once requests arrive. */
  private basePath(): string {
    return (this.base ??= this.find());
  }

  private find(): string {
    const versioning = this.config.getVersioning();
    const route: Parameters<RoutePathFactory['create']>[0] = {
      methodPath: `/${this.options.approvals?.path ?? ''}${ONE}`,
      globalPrefix: this.config.getGlobalPrefix(),
      ...(this.home === undefined ? {} : { modulePath: modulePath(this.home, this.modules.applicationId) }),
      ...(versioning === undefined ? {} : { versioningOptions: versioning }),
      ...(versioning?.defaultVersion === undefined ? {} : { controllerVersion: versioning.defaultVersion }),
    };
    const [path = ''] = new RoutePathFactory(this.config).create(route, RequestMethod.GET);
    return path.slice(0, -ONE.length);
  }
}
