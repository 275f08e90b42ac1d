export { PermissionGuard } from './guards/permission.guard.js';
export { PrincipalGuard } from './guards/principal.guard.js';
export { RequirePermission, RequirePermissionGuard } from './guards/require-permission.js';
export type { RestSurfaceOptions } from './rest-options.js';
export { RestSurfaceModule } from './rest-surface.module.js';
export { capabilityController } from './routes/controller-stub.js';
