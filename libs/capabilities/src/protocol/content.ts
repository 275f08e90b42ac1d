/** Who a content block is for and how much it matters. */
export interface ContentAnnotations {
  readonly audience?: readonly ('user' | 'assistant')[];
  /** 0 (least) to 1. */
  readonly priority?: number;
  /** ISO 8601. */
  readonly lastModified?: string;
}

/** The contents of a resource: text, or base64 of bytes. */
export type ResourceContents = { readonly uri: string; readonly mimeType?: string } & (
  { readonly text: string } | { readonly blob: string }
);

/** One content block of a tool result or prompt message (MCP, "Content"). */
export type ContentBlock = { readonly annotations?: ContentAnnotations } & (
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly title?: string;
      readonly description?: string;
      readonly mimeType?: string;
    }
  | { readonly type: 'resource'; readonly resource: ResourceContents }
);

/** What a capability with `mcp: { result: 'content' }` returns. */
export interface McpContent {
  readonly content: readonly ContentBlock[];
  /** Optional data beside the blocks. */
  readonly structuredContent?: unknown;
}

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

export const textBlock = (text: string): ContentBlock => ({ type: 'text', text });

export const imageBlock = (bytes: Uint8Array, mimeType: string): ContentBlock => ({
  type: 'image',
  data: base64(bytes),
  mimeType,
});

export const audioBlock = (bytes: Uint8Array, mimeType: string): ContentBlock => ({
  type: 'audio',
  data: base64(bytes),
  mimeType,
});

export const resourceBlock = (resource: ResourceContents): ContentBlock => ({ type: 'resource', resource });

export const linkBlock = (uri: string, name: string, mimeType?: string): ContentBlock => ({
  type: 'resource_link',
  uri,
  name,
  ...(mimeType === undefined ? {} : { mimeType }),
});

/** Contents of a resource that is bytes. */
export const blobContents = (bytes: Uint8Array, mimeType: string): { blob: string; mimeType: string } => ({
  blob: base64(bytes),
  mimeType,
});
