import { z } from 'zod';
import { createCapabilityRuntime, toolError } from './index.js';

interface AppUser {
  readonly id: string;
}

const { defineCapability, runCapability } = createCapabilityRuntime<AppUser, 'documents:read'>({
  policy: { userHasPermission: (user, permission) => user.id !== '' && permission === 'documents:read' },
  serverInfo: { name: 'library', version: '1.0.0' },
});

const fields = {
  name: 'read_document',
  description: 'Reads a document.',
  inputSchema: z.object({ slug: z.string(), page: z.coerce.number().default(1) }),
  outputSchema: z.object({ title: z.string(), pages: z.number().default(1) }),
  annotations: { readOnly: true, destructive: false },
} as const;

const read = defineCapability({
  ...fields,
  requiredPermission: 'documents:read',
  // The parsed input, the bound user, and an output before its defaults.
  run: ({ slug, page }, { user }) => ({ title: `${slug.trim()} ${page.toFixed()} ${user.id}` }),
});

// A tool error may be returned instead.
defineCapability({ ...fields, run: () => toolError('NOT_FOUND', 'No such document.') });

// @ts-expect-error the permission is not one of the application's
defineCapability({ ...fields, requiredPermission: 'documents:write', run: () => ({ title: 't' }) });

// @ts-expect-error the output lacks its title
defineCapability({ ...fields, run: () => ({ pages: 1 }) });

// @ts-expect-error the input has no such field
defineCapability({ ...fields, run: ({ title }) => ({ title }) });

// @ts-expect-error both annotations must be written out
defineCapability({ ...fields, annotations: { readOnly: true }, run: () => ({ title: 't' }) });

// @ts-expect-error the caller is not one of the application's users
void runCapability(read, {}, { name: 'ann' });
