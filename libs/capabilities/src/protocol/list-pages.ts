import { sha256 } from '../kernel/hash.js';
import { invalidParams } from './rpc-error.js';

/** One page of a list as serialized JSON: `"tools":[…]`, with `nextCursor` unless it is the last. */
export type ListPage = string;

/** Key of the first page: no cursor can be equal to it. */
const FIRST = Symbol('first page');

/** The pages of one visible set, by cursor. */
type Pages = ReadonlyMap<unknown, ListPage>;

/** Pages remembered per list; the oldest visible set is forgotten first. */
const CAPACITY = 64;

/**
 * The serialized pages of one list. Items are serialized once, when the server starts; the pages of a visible
 * set are joined at its first request and served from memory after that.
 */
export class ListPages<Item> {
  private readonly sets = new Map<string, Pages>();
  /** Pages by the visible set itself: callers who see the same are given the same one. */
  private readonly known = new WeakMap<Iterable<Item>, Pages>();
  private readonly index: ReadonlyMap<Item, number>;
  private readonly texts: readonly string[];

  constructor(
    /** Member that holds the items, such as `tools`. */
    private readonly member: string,
    items: readonly Item[],
    serialize: (item: Item) => string,
    private readonly pageSize: number,
  ) {
    this.index = new Map(items.map((item, position) => [item, position]));
    this.texts = items.map(serialize);
  }

  /** The page behind a cursor. Throws {@link RpcError} −32602 for a cursor that was not issued for this list. */
  page(visible: Iterable<Item>, cursor: unknown): ListPage {
    const pages = this.known.get(visible) ?? this.pagesOf(visible);
    const page = pages.get(cursor === undefined ? FIRST : cursor);
    if (page === undefined) throw invalidParams('The cursor is not valid for this list');
    return page;
  }

  private pagesOf(visible: Iterable<Item>): Pages {
    const positions: number[] = [];
    for (const item of visible) {
      const position = this.index.get(item);
      if (position !== undefined) positions.push(position);
    }
    const key = positions.join();
    const pages = this.sets.get(key) ?? this.remember(key, positions);
    this.known.set(visible, pages);
    return pages;
  }

  private remember(key: string, positions: readonly number[]): Pages {
    const pages = this.build(key, positions);
    this.sets.set(key, pages);
    if (this.sets.size > CAPACITY) {
      const oldest = this.sets.keys().next();
      if (oldest.done !== true) this.sets.delete(oldest.value);
    }
    return pages;
  }

  private build(key: string, positions: readonly number[]): Pages {
    const pages = new Map<unknown, ListPage>();
    const fingerprint = sha256(`mcp-list/${this.member}`, key).slice(0, 16);
    for (let start = 0; start === 0 || start < positions.length; start += this.pageSize) {
      const end = start + this.pageSize;
      const texts = positions.slice(start, end).map((position) => this.texts[position]);
      const next = end < positions.length ? `,"nextCursor":${JSON.stringify(`${fingerprint}.${end}`)}` : '';
      pages.set(
        start === 0 ? FIRST : `${fingerprint}.${start}`,
        `"${this.member}":[${texts.join(',')}]${next}`,
      );
    }
    return pages;
  }
}
