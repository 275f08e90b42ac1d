import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { exchangeOf } from '../http-exchange.js';
import { RefusedCall } from '../reply/refused-call.js';
import { isRefused, RestCalls } from '../rest-calls.js';
import { routeMark } from '../routes/route-mark.js';

/** Stages 3 and 4 on generated routes: name, exposure, access. Refuses every other route: use `@RequirePermission()`. */
@Injectable()
export class PermissionGuard implements CanActivate {
  constructor(@Inject(RestCalls) private readonly calls: RestCalls) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const mark = routeMark(context.getHandler());
    if (mark === undefined) return false;
    const admission = await this.calls.admission(exchangeOf(context), mark);
    if (isRefused(admission)) throw new RefusedCall(admission);
    return true;
  }
}
