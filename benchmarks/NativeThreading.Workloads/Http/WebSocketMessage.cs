using System.Text;

namespace NativeThreading.Workloads.Http;

/// <summary>The bytes of a WebSocket whose client sends one message again and again, and waits for the same one.</summary>
internal static class WebSocketMessage
{
    /// <summary>Of the message, in bytes.</summary>
    public const int Size = 48;

    // A final frame of binary data; the length of a frame from a client has the bit of a mask.
    private const byte FinalBinary = 0x82, FinalClose = 0x88, Masked = 0x80;

    private static readonly byte[] s_mask = [0x37, 0xfa, 0x21, 0x3d];
    private static readonly byte[] s_payload = [.. Enumerable.Range(0, Size).Select(static i => (byte)('A' + (i % 26)))];

    /// <summary>As a client sends it.</summary>
    public static byte[] Frame { get; } = [FinalBinary, Masked | Size, .. s_mask, .. s_payload.Select(static (value, i) => (byte)(value ^ s_mask[i % 4]))];

    /// <summary>As a server sends it.</summary>
    public static byte[] Echo { get; } = [FinalBinary, Size, .. s_payload];

    /// <summary>The client's last frame.</summary>
    public static byte[] Close { get; } = [FinalClose, Masked, .. s_mask];

    /// <summary>The request that asks for a WebSocket. Its key is the example of RFC 6455.</summary>
    public static byte[] Handshake(Uri target) => Encoding.ASCII.GetBytes(
        $"GET {target.PathAndQuery} HTTP/1.1\r\nHost: {target.Authority}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");

    /// <summary>Whether a server has agreed to that request. The bytes end with the empty line behind the head.</summary>
    public static bool IsAgreement(ReadOnlySpan<byte> head) =>
        head.StartsWith("HTTP/1.1 101 "u8) && head.IndexOf("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="u8) > 0;
}
