import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { RegisteredPermission } from '../../../contract/register.js';
import { CapabilityError } from '../../../errors/capability-error.js';
import { errorEnvelope } from '../../../errors/error-envelope.js';
import { CapabilityRunner } from '../../../execution/capability-runner.js';
import { exchangeOf, nodeResponse } from '../http-exchange.js';
import { RestCalls } from '../rest-calls.js';

const PERMISSION = Symbol.for('nest-capabilities.rest.RequirePermission');

/**
 * Applies the permission rule of capabilities to a controller, or a handler, of the application. Refuses with
 * an `HttpException` (401 or 403) whose response is the error envelope. A handler's own permission stands in
 * for its controller's.
 */
export function RequirePermission(permission: RegisteredPermission): ClassDecorator & MethodDecorator {
  return applyDecorators(SetMetadata(PERMISSION, permission), UseGuards(RequirePermissionGuard));
}

/** The guard behind {@link RequirePermission}; refuses where no permission is declared. */
@Injectable()
export class RequirePermissionGuard implements CanActivate {
  constructor(
    @Inject(CapabilityRunner) private readonly runner: CapabilityRunner,
    @Inject(RestCalls) private readonly calls: RestCalls,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const permission = this.reflector.getAllAndOverride<string | undefined>(PERMISSION, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (typeof permission !== 'string') return false;
    const exchange = exchangeOf(context);
    const principal = await this.calls.principal(exchange.request);
    const refusal =
      principal === null
        ? new CapabilityError('UNAUTHENTICATED')
        : await this.runner.permissionRefusal(principal, permission);
    if (refusal === undefined) return true;
    if (refusal.status === 401) nodeResponse(exchange.response).setHeader('WWW-Authenticate', 'Bearer');
    throw new HttpException(errorEnvelope(refusal), refusal.status);
  }
}
