import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { exchangeOf, nodeResponse } from '../http-exchange.js';
import { RefusedCall } from '../reply/refused-call.js';
import { isRefused, RestCalls } from '../rest-calls.js';
import { routeMark } from '../routes/route-mark.js';

/**
 * Stage 2 on generated routes: a caller whom the `PrincipalResolver` does not know is answered 401 with a
 * challenge. On a controller of the application it throws Nest's `UnauthorizedException`.
 */
@Injectable()
export class PrincipalGuard implements CanActivate {
  constructor(@Inject(RestCalls) private readonly calls: RestCalls) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const exchange = exchangeOf(context);
    if ((await this.calls.principal(exchange.request)) !== null) return true;
    const mark = routeMark(context.getHandler());
    if (mark === undefined) {
      nodeResponse(exchange.response).setHeader('WWW-Authenticate', 'Bearer');
      throw new UnauthorizedException();
    }
    const admission = await this.calls.admission(exchange, mark);
    if (isRefused(admission)) throw new RefusedCall(admission);
    return true;
  }
}
