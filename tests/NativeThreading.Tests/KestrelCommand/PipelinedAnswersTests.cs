using System.Text;
using NativeThreading.Workloads;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tests.KestrelCommand;

/// <summary>The greedy client counts whole answers, however the stream is cut.</summary>
public sealed class PipelinedAnswersTests
{
    private const string Answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nServer: Kestrel\r\n\r\nhello";

    private static readonly byte[] s_answer = Encoding.ASCII.GetBytes(Answer);

    [Fact]
    public void LengthIsKnown_WhenTheAnswerIsThere()
    {
        Assert.Equal(s_answer.Length, PipelinedAnswers.LengthOf([.. s_answer, .. s_answer]));
        for (int length = 0; length < s_answer.Length; length++)
        {
            Assert.Equal(0, PipelinedAnswers.LengthOf(s_answer.AsSpan(0, length)));
        }
    }

    [Fact]
    public void AnswerThatDoesNotSayItsLength_IsAnError() => Assert.Throws<MeasurementException>(
        static () => PipelinedAnswers.LengthOf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"u8));

    [Fact]
    public void AnswersAreCounted_WhereverTheStreamIsCut()
    {
        byte[] stream = [.. Enumerable.Repeat(s_answer, 7).SelectMany(static bytes => bytes)];
        for (int part = 1; part <= stream.Length; part++)
        {
            var answers = new PipelinedAnswers(s_answer);
            Assert.Equal(7, stream.Chunk(part).Sum(bytes => answers.Count(bytes)));
        }
    }

    [Fact]
    public void AnotherStatus_IsAnError()
    {
        var answers = new PipelinedAnswers(s_answer);
        byte[] stream = [.. s_answer, .. Encoding.ASCII.GetBytes(Answer.Replace("200 OK", "503 No", StringComparison.Ordinal))];
        Assert.Throws<MeasurementException>(() => stream.Chunk(11).Sum(bytes => answers.Count(bytes)));
    }
}
