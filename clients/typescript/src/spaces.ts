/** Spaces: their record, their Space Document, questions and comparisons. */

import type { Api } from "./api.js";
import { body } from "./api.js";
import { PAGE_SIZE, iterate } from "./pages.js";
import type {
  Answer,
  Correction,
  Diff,
  DocumentCorrections,
  NewCorrection,
  NewSpace,
  Skill,
  Space,
  SpaceChanges,
  SpaceWithDocument,
} from "./types.js";

/** Operations on spaces. */
export class Spaces {
  constructor(private readonly api: Api) {}

  /** Creates a space. `space_type` is a label of yours, for example `apartment`. */
  async create(space: NewSpace): Promise<Space> {
    return body(await this.api.POST("/spaces", { body: space }));
  }

  /** Returns a space with its newest Space Document. `document` is null before the first scan. */
  async get(id: string): Promise<SpaceWithDocument> {
    return body(await this.api.GET("/spaces/{id}", { params: { path: { id } } }));
  }

  /** Iterates over spaces, newest first. */
  list(filter: { external_id?: string; space_type?: string; pageSize?: number } = {}): AsyncGenerator<Space, void> {
    const { pageSize: limit = PAGE_SIZE, ...query } = filter;
    return iterate(async (cursor) =>
      body(await this.api.GET("/spaces", { params: { query: { ...query, limit, ...(cursor && { cursor }) } } })),
    );
  }

  /** Changes the given fields of a space. */
  async update(id: string, changes: SpaceChanges): Promise<Space> {
    return body(await this.api.PATCH("/spaces/{id}", { params: { path: { id } }, body: changes }));
  }

  /** Deletes a space with its scans and media. */
  async delete(id: string): Promise<void> {
    await this.api.DELETE("/spaces/{id}", { params: { path: { id } } });
  }

  /** Answers a question from a Space Document, with citations, or abstains. */
  async ask(id: string, question: string, options: { scan_id?: string } = {}): Promise<Answer> {
    const params = { path: { id } };
    return body(await this.api.POST("/spaces/{id}/ask", { params, body: { question, ...options } }));
  }

  /** Compares two scans of a space; by default, the last two. */
  async diff(id: string, query: { from?: string; to?: string } = {}): Promise<Diff> {
    return body(await this.api.GET("/spaces/{id}/diff", { params: { path: { id }, query } }));
  }

  /** Returns the Agent Skill of a space: a folder of files for an agent. */
  async skill(id: string): Promise<Skill> {
    const skill = await this.api.GET("/spaces/{id}/skill", { params: { path: { id } } });
    // The zip is another representation of the same operation.
    return body(skill) as Skill;
  }

  /** Corrects the newest Space Document, or that of `scan_id`: all corrections or none. */
  async correct(
    id: string,
    corrections: NewCorrection[],
    options: { scan_id?: string } = {},
  ): Promise<DocumentCorrections> {
    const params = { path: { id } };
    return body(await this.api.PATCH("/spaces/{id}/document", { params, body: { corrections, ...options } }));
  }

  /** Iterates over the corrections of a space, newest first. */
  corrections(id: string, { pageSize: limit = PAGE_SIZE } = {}): AsyncGenerator<Correction, void> {
    const path = { id };
    return iterate(async (cursor) => {
      const query = { limit, ...(cursor && { cursor }) };
      return body(await this.api.GET("/spaces/{id}/corrections", { params: { path, query } }));
    });
  }

  /** Withdraws a correction. */
  async deleteCorrection(id: string, correctionId: string): Promise<void> {
    const path = { id, correction_id: correctionId };
    await this.api.DELETE("/spaces/{id}/corrections/{correction_id}", { params: { path } });
  }
}
