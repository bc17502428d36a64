using System.Globalization;
using System.Net.Sockets;

namespace NativeThreading.AspNetCore.Tests.Transport.Support;

/// <summary>HTTP/1.1 on a raw connection.</summary>
internal static class RawHttp
{
    extension(RawClient client)
    {
        public async Task<RawResponse> ReadResponseAsync() =>
            await client.TryReadResponseAsync() ?? throw RawClient.CutOff("There was no response.");

        /// <returns>Null where the server has ended the connection before it began with a response.</returns>
        public async Task<RawResponse?> TryReadResponseAsync()
        {
            if (client.Received.IsEmpty && !await client.ReceivesAsync())
            {
                return null;
            }

            try
            {
                return await client.ReadBegunResponseAsync();
            }
            catch (SocketException exception)
            {
                throw new EndOfStreamException("A response was cut off.", exception);
            }
        }

        /// <summary>The next chunk of a body, empty at its end.</summary>
        public async Task<byte[]> ReadChunkAsync()
        {
            string length = await client.ReadUntilAsync("\r\n");
            byte[] chunk = await client.ReadAsync(int.Parse(length.AsSpan().TrimEnd(), NumberStyles.HexNumber, CultureInfo.InvariantCulture));
            Assert.Equal("\r\n"u8.ToArray(), await client.ReadAsync(2));
            return chunk;
        }

        private async Task<bool> ReceivesAsync()
        {
            try
            {
                return await client.ReceiveAsync();
            }
            catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionReset)
            {
                return false;
            }
        }

        private async Task<RawResponse> ReadBegunResponseAsync()
        {
            var head = new RawResponse(await client.ReadUntilAsync("\r\n\r\n"), []);
            if (head.Status is 101 or 204 or 304)
            {
                return head;
            }

            if (head.Header("Content-Length") is { } length)
            {
                return head with { Body = await client.ReadAsync(int.Parse(length, CultureInfo.InvariantCulture)) };
            }

            if (head.Header("Transfer-Encoding") != "chunked")
            {
                return head with { Body = await client.ReadToEndAsync() };
            }

            using var body = new MemoryStream();
            for (byte[] chunk = await client.ReadChunkAsync(); chunk.Length > 0; chunk = await client.ReadChunkAsync())
            {
                body.Write(chunk);
            }

            return head with { Body = body.ToArray() };
        }
    }
}
