using System.Text;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tests.KestrelCommand;

public sealed class WebSocketMessageTests
{
    [Fact]
    public void EchoIsTheFrame_WithoutItsMask()
    {
        byte[] frame = WebSocketMessage.Frame;
        Assert.Equal([0x82, 0x80 | WebSocketMessage.Size], frame[..2]);
        byte[] payload = [.. frame[6..].Select((value, i) => (byte)(value ^ frame[2 + (i % 4)]))];
        Assert.Equal(WebSocketMessage.Size, payload.Length);
        Assert.Equal([0x82, WebSocketMessage.Size, .. payload], WebSocketMessage.Echo);
    }

    [Fact]
    public void HandshakeNamesItsTarget()
    {
        string request = Encoding.ASCII.GetString(WebSocketMessage.Handshake(new Uri("http://127.0.0.1:5000/websocket")));
        Assert.StartsWith("GET /websocket HTTP/1.1\r\nHost: 127.0.0.1:5000\r\n", request, StringComparison.Ordinal);
        Assert.EndsWith("\r\n\r\n", request, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n", true)]
    [InlineData("HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: another\r\n\r\n", false)]
    [InlineData("HTTP/1.1 400 Bad Request\r\n\r\n", false)]
    public void AgreementIsKnown(string head, bool expected) => Assert.Equal(expected, WebSocketMessage.IsAgreement(Encoding.ASCII.GetBytes(head)));
}
