import { Controller, Post, UploadedFile, UseInterceptors } from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import { RequireApproval } from 'nest-capabilities/rest';
import { type ApprovalsApp, reasonOf, startApprovalsApp } from '../approvals/approvals-app.js';

const stored: string[] = [];

@Controller('files')
@UseInterceptors(FileInterceptor('file'))
class FilesController {
  @Post()
  @RequireApproval()
  keep(@UploadedFile() file: { buffer: Buffer }): { bytes: number } {
    stored.push(file.buffer.toString());
    return { bytes: file.buffer.length };
  }
}

describe('an upload that an interceptor has read before the approval', () => {
  let desk: ApprovalsApp;
  beforeEach(async () => {
    stored.length = 0;
    desk = await startApprovalsApp('express', { controllers: [FilesController] });
  });
  afterEach(() => desk?.close());

  const upload = (content: string, headers: Readonly<Record<string, string>> = {}) =>
    desk.send('POST', '/files', {
      as: 'alice',
      headers: { 'content-type': 'multipart/form-data; boundary=b', ...headers },
      body: `--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n${content}\r\n--b--\r\n`,
    });

  it('is refused: nobody could say which file was approved', async () => {
    const asked = await upload('harmless');
    const { approvalId } = asked.json as { approvalId?: string };
    if (approvalId !== undefined) {
      await desk.decide('bob', approvalId);
      await upload('harmful', { 'approval-id': approvalId });
    }
    expect(stored).toEqual([]);
    expect([asked.status, reasonOf(asked)]).toEqual([415, 'MEDIA_TYPE']);
  });
});
